import type { Words } from '../../output/words/sentence.ts'

export const cardWords = {
  rows: {
    card_not_ended: 'is a card without END:VCARD → look whether the file is cut short; export it again',
    outside_of_cards: 'is outside of any card → each card begins with BEGIN:VCARD and ends with END:VCARD',
    not_a_property: `line {#line} of the file has no name and value with a colon between them
      → if it belongs to the line above, begin it with a blank`,
    line_not_in_encoding: `line {#line} of the file has bytes that are not {encoding}
      → look at it in the program that wrote it, and export it again`,
  },
} as const satisfies Record<string, Words>
