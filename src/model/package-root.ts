/** The folder of this package: its files lie two folders up, in the source, in what the compiler writes, and in the bundle. */
export const packageRoot = new URL('../../', import.meta.url)
