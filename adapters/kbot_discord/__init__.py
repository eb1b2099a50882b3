"""kbot in Discord: mentions, replies, threads, direct messages and commands, with answers that grow in place."""
