-- What answers rest on: sections to answer from, the reranker that goes with an index, and what was decided on the way.

-- A chunk that is small for finding is read with the section of the document's text that it was cut from (characters, as
-- start_offset and end_offset); null where the chunk stands for itself.
ALTER TABLE chunks ADD section_start int, ADD section_end int;

-- The embedder's partner: null until passages are written or searched with one.
ALTER TABLE indexes ADD reranker text;

ALTER TABLE turns ADD decisions jsonb NOT NULL DEFAULT '[]';

-- A cut is of the confidence in the passages; those chosen before were of their nearness and coverage, and are to be chosen anew.
DELETE FROM cuts;
ALTER TABLE cuts DROP coverage, ADD confidence float8 NOT NULL;
