import { globSync, readFileSync } from 'node:fs'
import { transform } from 'esbuild'
import type { UserConfig } from 'tsdown'

type Exports = Record<string, { readonly default: string }>

/**
 * The one way in which every package is built: ESM for Node 22.19 on, types next to the code, and one entry for each of the `exports` of
 * its package.json (`./dist/a/*.js` is every `src/a/*.ts`) and for each of `more`. Run in the package's folder, as tsdown does.
 *
 * Names stay as they are, for stack traces; comments (which are in the types) and white space don't: a process keeps the text of each
 * module that it has loaded, at two bytes a character if only one is beyond Latin-1. Lines stay short: Node prints the whole line that
 * an error comes from.
 */
export function packageBuild(...more: readonly string[]): UserConfig {
  const { exports } = JSON.parse(readFileSync('package.json', 'utf8')) as { exports: Exports }
  const sources = [...entries(exports), ...more]
  return {
    entry: Object.fromEntries(sources.map(source => [source.slice('src/'.length, -'.ts'.length), source])),
    outDir: 'dist',
    format: 'esm',
    target: 'node22',
    platform: 'node',
    // Each source says the types of what it exports, so that none has to be inferred.
    dts: { generator: 'oxc' },
    fixedExtension: false,
    clean: true,
    plugins: [
      {
        name: 'without-white-space',
        async generateBundle(_, bundle) {
          for (const file of Object.values(bundle)) {
            if (file.type !== 'chunk' || !file.fileName.endsWith('.js')) continue
            const options = { format: 'esm', target: 'node22', minifyWhitespace: true, lineLimit: 120 } as const
            file.code = (await transform(withClassNames(file.code), options)).code
          }
        },
      },
    ],
  }
}

/**
 * A bundle with its classes declared. The bundler makes `var A = class A {…}` of a class that names itself; esbuild renames the inner one to
 * `A2`, and Node prints that name for an error and in stack traces.
 */
export function withClassNames(code: string): string {
  return code.replace(/^(?:var|let|const) (\w+) = class \1\b/gm, 'class $1')
}

/** The sources of the files that `exports` names. */
export function entries(exports: Exports): string[] {
  return Object.values(exports).flatMap(({ default: file }) => {
    const source = file.replace(/^\.\/dist\//, 'src/').replace(/\.js$/, '.ts')
    return source.includes('*') ? globSync(source).filter(path => !path.endsWith('.test.ts')) : [source]
  })
}
