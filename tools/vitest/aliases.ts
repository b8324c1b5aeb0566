import { existsSync, readdirSync } from 'node:fs'
import { join, resolve } from 'node:path'

/** The root of the work tree. */
export const repository: string = resolve(import.meta.dirname, '../..')

interface SourceAlias {
  readonly find: RegExp
  readonly replacement: string
}

/** Maps `@wherry/X` and `@wherry/X/sub/path` to the sources of `packages/X`, as `paths` in tsconfig.base.json does. */
export function sourceAliases(): SourceAlias[] {
  const packages = join(repository, 'packages')
  return readdirSync(packages)
    .filter(name => existsSync(join(packages, name, 'src')))
    .flatMap(name => [
      { find: new RegExp(`^@wherry/${name}$`), replacement: join(packages, name, 'src/index.ts') },
      { find: new RegExp(`^@wherry/${name}/(.+)$`), replacement: `${join(packages, name, 'src')}/$1.ts` },
    ])
}
