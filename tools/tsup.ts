import { globSync, readFileSync } from 'node:fs'
import type { Options } from 'tsup'

type Exports = Record<string, { readonly default: string }>

/**
 * The one way in which every package is built: ESM for Node 22.19 on, types beside the code, and
 * one entry for each of the `exports` of its package.json (`./dist/a/*.js` is every `src/a/*.ts`).
 * Run in the package's folder, as tsup does.
 *
 * Names stay as they are, for stack traces; comments (which are in the types) and white space don't: a process keeps the
 * text of each module that it has loaded, at two bytes a character if only one is beyond Latin-1.
 */
export function packageBuild(): Options {
  const { exports } = JSON.parse(readFileSync('package.json', 'utf8')) as { exports: Exports }
  return {
    entry: entries(exports),
    outDir: 'dist',
    format: ['esm'],
    target: 'node22',
    platform: 'node',
    dts: true,
    clean: true,
    treeshake: true,
    splitting: true,
    sourcemap: false,
    minifyWhitespace: true,
    esbuildOptions(options) {
      options.lineLimit = 120
    },
  }
}

/** The sources of the files that `exports` names. */
export function entries(exports: Exports): string[] {
  return Object.values(exports).flatMap(({ default: file }) => {
    const source = file.replace(/^\.\/dist\//, 'src/').replace(/\.js$/, '.ts')
    return source.includes('*') ? globSync(source).filter(path => !path.endsWith('.test.ts')) : [source]
  })
}
