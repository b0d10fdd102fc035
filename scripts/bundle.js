// A step of `npm run build`: the command as one minified bundle in chunks, each loaded only where a run needs it. They are CommonJS,
// which Node loads faster than modules. The library is a bundle of modules that can be read, so that nothing is installed with it but
// zod, which its types name. The scripts of the pages are bundles of their own.
import { chmodSync, copyFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'
import { rolldown } from 'rolldown'
import { noticesOf } from './notices.js'

const require = createRequire(import.meta.url)
const root = fileURLToPath(new URL('..', import.meta.url))

/** Loaded by `lazyLibrary`, each as a file of its own. */
const libraries = ['iconv-lite', 'jsonata', 'libphonenumber-js', 'luxon', 'markdown-it']

/** What libraries load and nobody asks for here, by what stands in for it. */
const replaced = {
  // got's HTTP/2: loading it makes a TLS socket, a tenth of the start of an import
  'http2-wrapper': 'export default {}',
  // how yargs lays out help, which is ours: tables of widths and colours, half of the start
  cliui: "export default () => ({ div() {}, span() {}, toString: () => '' })",
  'string-width': 'export default text => text.length',
  // where yargs looks for a package.json and for folders of commands
  'escalade/sync': 'export default () => undefined',
  'get-caller-file': 'export default () => undefined',
}

const withoutUnused = {
  name: 'without-unused',
  resolveId: id => (Object.hasOwn(replaced, id) ? `\0${id}` : undefined),
  load: id => (id.startsWith('\0') ? replaced[id.slice(1)] : undefined),
}

const heads =
  /\/(cli\/commands\/(?!run-)[a-z]+|features\/[a-z-]+\/((export-|workers-)?command|(command-)?options))\.ts$/

const shared = {
  cwd: root,
  onLog(level, log) {
    throw new Error(`the bundle is not as it should be: ${level}: ${log.message}`)
  },
}

/** What both bundles are made with. */
const forNode = {
  ...shared,
  platform: 'node',
  transform: { target: 'node20.19', define: { 'import.meta.resolve': 'undefined' } }, // for settings files of yargs
  plugins: [withoutUnused],
}

const bundle = await rolldown({
  ...forNode,
  input: {
    rowlift: 'src/bin.ts',
    ...Object.fromEntries(libraries.map(name => [name, require.resolve(name)])),
  },
  preserveEntrySignatures: 'allow-extension', // as groups of chunks need it
})
const command = await bundle.write({
  dir: 'dist/bin', // two folders below the root, as every source file that looks for the package's files
  format: 'cjs',
  minify: true,
  entryFileNames: '[name].cjs',
  chunkFileNames: '[name]-[hash].cjs',
  // help and completion need the heads of all commands: one file is quicker than one for each
  codeSplitting: { includeDependenciesRecursively: false, groups: [{ name: 'heads', test: heads }] },
})
chmodSync(`${root}dist/bin/rowlift.cjs`, 0o755) // npm does so when it installs, and a clone that is built again is not installed again

const modules = await rolldown({ ...forNode, input: 'src/index.ts', external: [/^zod(\/|$)/] })
const library = await modules.write({
  dir: 'dist/lib',
  format: 'es',
  chunkFileNames: '[name]-[hash].js',
})

const page = await rolldown({ ...shared, input: 'src/output/page/page.client.ts', platform: 'browser' })
const script = await page.write({ dir: 'dist/output/page', format: 'es', minify: true })
copyFileSync(`${root}src/output/page/page.css`, `${root}dist/output/page/page.css`)

const guide = await rolldown({
  ...shared,
  input: 'src/features/guide/page/main.tsx',
  platform: 'browser',
  transform: { jsx: { importSource: 'preact' } },
})
const guideScript = await guide.write({ dir: 'dist/features/guide/page', format: 'es', minify: true })
copyFileSync(`${root}src/features/guide/page/guide.css`, `${root}dist/features/guide/page/guide.css`)

const bundled = [command, library, script, guideScript].flatMap(({ output }) =>
  output.flatMap(({ moduleIds = [] }) => moduleIds),
)
writeFileSync(`${root}THIRD-PARTY-NOTICES`, noticesOf(bundled))
