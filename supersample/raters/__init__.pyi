from .golds import add_rater as add_rater, take_as_gold as take_as_gold
from .agreement import rank_raters as rank_raters
from .agreement import ceiling as ceiling, reliability as reliability
from .judges import judge_agreement as judge_agreement
from .agreement import plan_campaign as plan_campaign, plan_judge as plan_judge
