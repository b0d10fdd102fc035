import { listed, type Words } from '../../output/words/sentence.ts'

const bomb = 'would unpack to more than 100 MB, and to over 200 times its packed size'
const zipFaults = {
  encrypted: 'is encrypted',
  method: 'is packed in a way that is not read, such as deflate64',
  bomb,
}
/** `entry` is a file in an archive. */
type Damage = { readonly source: string; readonly entry?: string | undefined; readonly reason: string }

export const archiveWords = {
  sources: {
    bad_gzip: (
      p: Damage,
    ) => `{source}: the ${/\.zst$/i.test(p.source) ? 'zstd' : 'gzip'} file is damaged or cut short ({reason})
      → fetch it again`,
    bad_zip: (
      p: Damage,
    ) => `{source}: ${p.entry === undefined ? 'the zip archive' : '{entry} in it'} is damaged or cut short ({reason})
      → fetch it again`,
    packed_bomb: ({ source }: { source: string }) =>
      `{source}: ${bomb}
      → look what is in it; if it is right, unpack it first: ${/\.zst$/i.test(source) ? 'zstd -d' : 'gunzip'} "{source}"`,
    unreadable_zip: (p: { source: string; entry: string; why: keyof typeof zipFaults }) =>
      `{source}: {entry} in it ${zipFaults[p.why]}
      → ${/\.xls.$/i.test(p.source) ? 'save the sheet as CSV' : 'unpack it: unzip "{source}"'}`,
    /** `files` are those that can be named. */
    no_file_in_zip: ({ files }: { source: string; files: readonly string[] }) => [
      `{source}: names no file of rows in the archive, or several
      → give one of {files}`,
      { files: listed(files.map(file => (/\s/.test(file) ? `"${file}"` : file))) || 'no files' },
    ],
  },
} as const satisfies Record<string, Words>
