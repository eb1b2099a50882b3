"""kbot in Slack: mention it, write to it directly or use its commands, and watch the answer grow."""
