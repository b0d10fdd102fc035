// A step of `npm run build`: the command as one minified bundle in chunks, each loaded only where a run needs it. They are CommonJS,
// which Node loads faster than modules. The library keeps its own modules and types. The page's script is a bundle of its own.
import { copyFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'
import { rolldown } from 'rolldown'

const require = createRequire(import.meta.url)
const root = fileURLToPath(new URL('..', import.meta.url))

/** Loaded by `lazyLibrary`, each as a file of its own. */
const libraries = ['iconv-lite', 'jsonata', 'libphonenumber-js', 'luxon', 'markdown-it', 're2js']

/** got loads it for HTTP/2, which nobody asks for here, and loading it makes a TLS socket: a tenth of the start of an import. */
const withoutHttp2 = {
  name: 'without-http2',
  resolveId: id => (id === 'http2-wrapper' ? '\0http2-wrapper' : undefined),
  load: id => (id === '\0http2-wrapper' ? 'export default {}' : undefined),
}

const shared = {
  cwd: root,
  onLog(level, log) {
    throw new Error(`the bundle is not as it should be: ${level}: ${log.message}`)
  },
}

const bundle = await rolldown({
  ...shared,
  input: {
    rowlift: 'src/bin.ts',
    ...Object.fromEntries(libraries.map(name => [name, require.resolve(name)])),
  },
  platform: 'node',
  transform: { target: 'node20.19' },
  plugins: [withoutHttp2],
  external: ['fastify'], // a server, and large: only the sandbox loads it
})
await bundle.write({
  dir: 'dist/bin', // two folders below the root, as every source file that looks for the package's files
  format: 'cjs',
  minify: true,
  entryFileNames: '[name].cjs',
  chunkFileNames: '[name]-[hash].cjs',
})

const page = await rolldown({ ...shared, input: 'src/report/page/page.client.ts', platform: 'browser' })
await page.write({ dir: 'dist/report/page', format: 'es', minify: true })
copyFileSync(`${root}src/report/page/page.css`, `${root}dist/report/page/page.css`)
