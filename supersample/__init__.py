"""supersample: which automatic metric agrees best with people, and how sure can we be."""
