// `npm run programs`: the command as programs of one file, in build/programs/, with licences, an SBOM and checksums. Words: names of
// systems, such as linux-x64, for some of them. The Node programs come from npm, as programs/package-lock.json names them. Linux on x64
// makes them all.
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { packageName } from './node-packages.js'

/** V8 takes them at its start alone. */
const memoryFlags = ['--max-semi-space-size=4']
const systems = ['linux-x64', 'linux-arm64', 'macos-arm64', 'macos-x64', 'windows-x64']

const root = fileURLToPath(new URL('..', import.meta.url))
const output = join(root, 'build/programs')
const { version, license } = read('package.json')
const { packages } = read('programs/package-lock.json')
const wanted = process.argv.length > 2 ? process.argv.slice(2) : systems
const unknown = wanted.find(system => !systems.includes(system))
if (unknown !== undefined) throw new Error(`${unknown} is none of ${systems.join(', ')}`)

installNodes()
rmSync(output, { recursive: true, force: true })
mkdirSync(output, { recursive: true })
for (const system of wanted) build(system)
writeFileSync(join(output, 'rowlift.cdx.json'), `${JSON.stringify(sbom(), null, 2)}\n`)
writeFileSync(join(output, 'LICENSES.txt'), licences())
const sums = readdirSync(output).map(name => `${sha256(join(output, name))}  ${name}\n`)
writeFileSync(join(output, 'SHA256SUMS'), sums.join(''))
process.stdout.write(sums.join(''))

function read(name) {
  return JSON.parse(readFileSync(join(root, name), 'utf8'))
}

/** The packages are for other systems too, which npm installs only by force. Each is checked by its hash in the lock. */
function installNodes() {
  if (existsSync(nodeIn('builder')) && systems.every(system => existsSync(nodeOf(system)))) return
  const words = ['ci', '--force', '--ignore-scripts', '--no-bin-links', '--no-audit', '--no-fund']
  const shell = process.platform === 'win32'
  execFileSync('npm', words, { cwd: join(root, 'programs'), stdio: ['ignore', 'ignore', 'inherit'], shell })
}

function nodeOf(system) {
  const [name, arch] = system.split('-')
  const platform = { macos: 'darwin', windows: 'win32' }[name] ?? name
  return nodeIn(packageName(platform, arch), name === 'windows' ? 'node.exe' : 'node')
}

function nodeIn(name, program = 'node') {
  return join(root, 'programs/node_modules', name, 'bin', program)
}

/**
 * Puts the command into a Node. That of macOS is Node 26, which a Node 26 puts in; the others are Node 24, for Node 26 needs libatomic,
 * which many Linux machines lack. Each version of Node has a form of its own for what is inside.
 */
function build(system) {
  const file = join(output, `rowlift-${system}${system.startsWith('windows') ? '.exe' : ''}`)
  const path = join(output, 'settings.json')
  const blob = join(output, 'blob')
  const settings = {
    main: 'programs/main.cjs', // it is kept as it is named, and must not tell of this machine
    disableExperimentalSEAWarning: true,
    useSnapshot: false,
    useCodeCache: false,
    execArgv: memoryFlags,
    assets: Object.fromEntries(insideFiles().map(name => [name, join(root, name)])),
  }
  const make = (node, word, places) => {
    writeFileSync(path, JSON.stringify({ ...settings, ...places }))
    execFileSync(node, [word, path], { cwd: root, stdio: ['ignore', 'ignore', 'pipe'] })
    rmSync(path)
  }
  if (system.startsWith('macos'))
    make(nodeIn('builder'), '--build-sea', { executable: nodeOf(system), output: file })
  else {
    make(nodeOf('linux-x64'), '--experimental-sea-config', { output: blob })
    copyFileSync(nodeOf(system), file)
    chmodSync(file, 0o755)
    const fuse = ['--sentinel-fuse', 'NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2']
    const postject = join(root, 'programs/node_modules/postject/dist/cli.js')
    execFileSync(process.execPath, [postject, file, 'NODE_SEA_BLOB', blob, ...fuse], { stdio: 'ignore' })
    rmSync(blob)
  }
  chmodSync(file, 0o755)
}

/** The files of the package that the command reads. */
function insideFiles() {
  const inFolder = folder => readdirSync(join(root, folder)).map(name => `${folder}/${name}`)
  const config = inFolder('config').filter(name => /\.(yaml|json)$/.test(name))
  const page = ['page.client.js', 'page.css'].map(name => `dist/output/page/${name}`)
  const guide = ['main.js', 'guide.css'].map(name => `dist/features/guide/page/${name}`)
  return ['package.json', ...config, ...page, ...guide, ...inFolder('dist/bin')]
}

/** The packages whose code is in the programs, by the heads of their licences, and Node. */
function sbom() {
  const heads = notices().matchAll(/^={80}\n\n(\S+) (\S+) \((.+)\)$/gm)
  const components = Array.from(heads, ([, name, version, license]) => ({
    type: 'library',
    'bom-ref': purl(name, version),
    name,
    version,
    licenses: [{ expression: license }],
    purl: purl(name, version),
  }))
  const nodes = Object.entries(packages).filter(([path]) => path.startsWith('node_modules/node-'))
  const platforms = nodes.map(([path, { version }]) => {
    const name = path.replace('node_modules/', '')
    return { type: 'platform', 'bom-ref': purl(name, version), name, version, purl: purl(name, version) }
  })
  const own = purl('rowlift', version)
  return {
    bomFormat: 'CycloneDX',
    specVersion: '1.5',
    version: 1,
    metadata: {
      component: {
        type: 'application',
        'bom-ref': own,
        name: 'rowlift',
        version,
        licenses: [{ expression: license }],
        purl: own,
      },
    },
    components: [...platforms, ...components],
    dependencies: [{ ref: own, dependsOn: [...platforms, ...components].map(part => part['bom-ref']) }],
  }
}

function purl(name, version) {
  return `pkg:npm/${name.replace('@', '%40')}@${version}`
}

function notices() {
  return readFileSync(join(root, 'THIRD-PARTY-NOTICES'), 'utf8')
}

function licences() {
  const own = readFileSync(join(root, 'LICENSE'), 'utf8')
  const node = readFileSync(join(nodeOf('linux-x64'), '../../LICENSE'), 'utf8')
  return [own, notices(), node].join(`\n${'='.repeat(80)}\n\n`)
}

function sha256(file) {
  return createHash('sha256').update(readFileSync(file)).digest('hex')
}
