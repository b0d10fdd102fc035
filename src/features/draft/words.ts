import type { Words } from '../../output/words/sentence.ts'

export const draftWords = {
  usage: {
    one_source_only: 'name one source: rowlift init FILE, or - for standard input',
    several_need_folder:
      'several files become a folder of mappings and a plan: rowlift init FILE FILE -o FOLDER/',
    stream_in_migration: `a plan reads files, not standard input
      → save it as a file, or leave the folder out: rowlift init - -o MAPPING.yaml`,
    single_source_only: '--json, --answer and --like are for one source, whose mapping -o names',
    output_exists: '{path}: exists and is not overwritten → give another name with -o',
    unknown_question: '--answer {id}: no such question is open; there are {...known|, }',
    unknown_choice: '--answer {id}={choice}: there is no such choice; there are {...known|, }',
    field_taken: `--answer {id}={choice}: another answer has taken {field}
      → give another, or join both columns in the mapping`,
    like_json: '--like reads YAML, for JSON has no comments for its questions → write the mapping as YAML',
    like_preset: `--like reads a mapping of yours; a preset fits the export of each year as it is
      → leave --like out`,
    like_columns: `--like: the mapping names the columns itself (source.header), so it fits by their places
      → import with it as it is`,
    like_nothing: '--like: what a lookup or all of the body reads is not in the file → leave --like out',
    draft_edited: `--answer {id}: this answer drafts the whole file again, and the mapping was edited
      → write it elsewhere, with another -o`,
    no_country: 'unknown country "{country}" → give its two letters, such as GB',
    edit_by_hand: 'an expression reads "{column}" with other columns → change it in the mapping itself',
    last_field: 'no other field is left → choose one for another column first',
    cannot_write_draft: '{path}: the mapping cannot be written ({reason})',
  },
} as const satisfies Record<string, Words>
