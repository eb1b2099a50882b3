"""kbot looks at its own work: are the passages relevant, do they support what was written, is it an answer?"""
