import { basename } from 'node:path'
import { expect, it } from 'vitest'
import { publishedPackages } from '../../tools/workspace.ts'
import { importsBelow } from './imports.ts'

/** What tools and tests load. `cel` brings a library for regular expressions along, `crd` brings schema libraries along, `cli` a compiler, `apiserver` and `testing` a whole server. */
const forTools = ['apiserver', 'cel', 'cli', 'create-wherry-operator', 'crd', 'testing']

it('K3: nothing that an operator loads imports a schema library, a compiler or the package that makes definitions', () => {
  const loaded = publishedPackages().filter(({ short }) => !forTools.includes(short))
  const foreign =
    /^(@wherry\/(apiserver|cel|cli|crd|testing)|zod|valibot|@valibot\/|arktype|typebox|re2js|typescript|esbuild|commander|ts-json-schema-generator)\b/
  const wrong = loaded.flatMap(({ short, folder, manifest }) => [
    ...Object.keys(manifest.dependencies ?? {})
      .filter(name => foreign.test(name))
      .map(name => `${short} depends on ${name}`),
    ...importsBelow(folder, false)
      .filter(one => !one.typeOnly && foreign.test(one.specifier))
      .map(one => `${short} imports ${one.specifier}`),
  ])
  expect(loaded.length).toBeGreaterThan(8)
  expect(wrong).toEqual([])
})

it('only DynamicViews brings the watch manager along: an operator without registrars has none of its code', () => {
  const controller = publishedPackages().find(({ short }) => short === 'controller')
  const imports = importsBelow(controller?.folder ?? '', false).filter(one => !one.typeOnly)
  const users = imports.filter(({ specifier }) => specifier === '@wherry/watch-manager').map(one => basename(one.from))
  const importers = imports.filter(({ specifier }) => specifier.endsWith('/dynamic-views.ts'))
  expect(users).toEqual(['dynamic-views.ts'])
  expect(importers.map(one => basename(one.from))).toEqual(['index.ts'])
})
