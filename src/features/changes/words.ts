import type { Words } from '../../output/words/sentence.ts'

export const changesWords = {
  usage: {
    changes_not_csv: `{path}: the list of changed rows is CSV, and cannot be written there
      → give {--changes} the name of a file that ends in .csv`,
    previous_without_changes: `{--previous} is the file with which {--changes} compares, and there is none
      → name the list with {--changes}, or leave {--previous} out`,
    previous_format: `{path}: is not a regular file of {...formats| or }, as the sources are, so their rows cannot be compared
      → give {--previous} the last export as it was imported`,
    previous_without_columns: `{path}: has no column {...columns}, by which its rows are found
      → give {--previous} the last export as it was imported; if a column has another name now, add {--renamed} OLD=NEW`,
  },
} as const satisfies Record<string, Words>
