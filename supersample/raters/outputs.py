"""Write results about people among the metrics to a folder."""

from dataclasses import replace
from pathlib import Path

import xarray as xr

from supersample.errors import InputError
from supersample.execution.stores.datasets import load_zarr
from supersample.execution.stores.places import place_of
from supersample.results.outputs import Results


def raters_results(found: xr.Dataset, measured: xr.Dataset | None = None) -> Results:
    """Prepare results of `rank_raters`, and optionally `reliability`, for a folder."""
    from supersample.presentation import raters as presented

    results = Results({"raters": found}, title="People among the metrics", facts=found.attrs)
    names = [str(name) for name in found["measure"].to_numpy()]
    answer = [line for name in names for line in presented.raters_lines(found, name)]
    answer += [] if found["is_person"].all() else [presented.UNSHOWN]
    for k, name in enumerate(names, start=1):
        end = f"-{k}" if len(names) > 1 else ""
        results.show(f"raters{end}", presented.raters_table(found, name))
        results.numbers[f"raters{end}"] = presented.plain_raters_table(found, name)
        results.draw("raters", "raters.plot_raters", found, measure=name, end=end)
    results.numbers["raters-pairs"] = presented.pairs_of_raters_table(found)
    if measured is not None:
        answer += presented.people_lines(measured)
        results.datasets["reliability"] = measured
        for name, table in presented.reliability_tables(measured).items():
            results.show(name, table)
            results.table_facts[name] = measured.attrs
    return replace(results, answer=answer)


def read_reliability(path: str | Path) -> xr.Dataset:
    """Read the result of `reliability` that ``raters --out`` wrote; refuse any other folder."""
    wanted = f"{path} is not the reliability.zarr that raters --out wrote"
    try:
        found: xr.Dataset = load_zarr(place_of(path))
    except InputError:
        raise
    except (OSError, ValueError, KeyError) as error:
        raise InputError(wanted) from error
    if not {"component", "metric_r", "segments"} <= set(found.variables):
        raise InputError(wanted)
    return found


def campaign_results(plan: xr.Dataset) -> Results:
    """Prepare a result of `plan_campaign` for a folder and the terminal."""
    from supersample.presentation.raters import campaign_table

    results = Results({"campaign": plan}, title="Systems that a campaign needs", facts=plan.attrs)
    results.show("campaign", campaign_table(plan))
    return results


def judge_results(found: xr.Dataset, chance: xr.Dataset | None = None) -> Results:
    """Prepare results of `alternative_annotator_test`, and optionally `chance_corrected`."""
    from supersample.presentation import numbers
    from supersample.presentation import raters as presented

    left_out = str(found.attrs["annotators_left_out"])
    answer = [f"Left out annotators with too few items: {left_out}"] if left_out else []
    results = Results({"judges": found}, title="Judges among annotators", facts=found.attrs)
    results.show("judges", presented.judges_table(found))
    results.show("annotators", presented.annotators_table(found))
    if chance is not None:
        answer.append(presented.alpha_line(chance))
        names, title = ["annotator", "other_annotator", "items", "kappa"], "Agreement beyond chance"
        table = numbers.pair_table([chance], names, dim="annotator", caption=title)
        results.show("agreement", table, of=chance)
    return replace(results, answer=answer)
