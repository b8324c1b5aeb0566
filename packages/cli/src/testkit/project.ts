import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'

/** A folder for TypeScript files that goes when it is disposed of. */
export interface Project extends AsyncDisposable {
  readonly folder: string
}

const packages = resolve(import.meta.dirname, '../../..')

/**
 * A project with the least that the compiler has to read: of the packages only the files that declare the types of interfaces, and of the language what
 * these need. With the tsconfig.json of this package, each program would take seconds.
 *
 * @param lib the libraries of the tsconfig.json
 */
export async function temporaryProject(lib: readonly string[] = ['ES2015']): Promise<Project> {
  const folder = await mkdtemp(join(tmpdir(), 'wherry-project-'))
  const compilerOptions = {
    ...{ strict: true, exactOptionalPropertyTypes: true, noEmit: true, allowImportingTsExtensions: true, types: [] },
    ...{ target: 'ES2024', module: 'NodeNext', lib },
    paths: {
      '@wherry/client': [join(packages, 'client/src/views/object.ts')],
      '@wherry/client/resources/*': [join(packages, 'client/src/resources/*.ts')],
      '@wherry/crd': [join(packages, 'crd/src/scalars.ts')],
      '@wherry/crd/conditions': [join(packages, 'crd/src/conditions.ts')],
    },
  }
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions }))
  return { folder, [Symbol.asyncDispose]: () => rm(folder, { recursive: true }) }
}
