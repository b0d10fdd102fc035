// The main script of a program of one file: it runs the bundle of the command, whose chunks are assets of the program, and unpacks
// nothing. The bundle sees itself in a folder below the program (`isProgram` in src/model/package.ts).
const nodeModule = require('node:module')
const { join, posix } = require('node:path')
const { getAsset } = require('node:sea')
const { compileFunction, constants } = require('node:vm')

const loaded = new Map()

/** Runs a chunk on first use; returns what it exports. */
function load(name) {
  const known = loaded.get(name)
  if (known !== undefined) return known.exports
  const chunk = { exports: {} }
  loaded.set(name, chunk)
  const filename = join(process.execPath, 'inside-rowlift', name)
  const run = compileFunction(
    getAsset(name, 'utf8'),
    ['exports', 'require', 'module', '__filename', '__dirname'],
    { filename, importModuleDynamically: constants.USE_MAIN_CONTEXT_DEFAULT_LOADER },
  )
  run(chunk.exports, requireChunk, chunk, filename, join(filename, '..'))
  return chunk.exports
}

const inside = { ...nodeModule, createRequire: () => requireChunk, enableCompileCache: undefined }

/** Finds modules of Node and chunks, which all lie in one folder. */
function requireChunk(id) {
  if (id.startsWith('.')) return load(posix.join('dist/bin', id))
  return id === 'node:module' ? inside : require(id)
}

load('dist/bin/rowlift.cjs')
