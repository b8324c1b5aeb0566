import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import type { CustomResourceConversion, CustomResourceDefinition } from '@wherry/client/resources/apiextensions'
import { readYaml, YamlError } from '@wherry/crd/internal'
import { isRecord } from '../definition/shape.ts'
import { refused, wrongUsage } from '../failure.ts'
import type { CommandHost } from '../host.ts'

/** The kustomization that `wherry manifests --out deploy` writes. */
const usual = 'deploy/kustomization.yaml'

/**
 * Definitions with the conversions that a kustomization patches into them, because both are applied together.
 *
 * @param file the path as the user wrote it; `undefined`: `deploy/kustomization.yaml`, if that exists
 */
export async function kustomized(
  definitions: readonly CustomResourceDefinition[],
  file: string | undefined,
  { cwd }: CommandHost,
): Promise<readonly CustomResourceDefinition[]> {
  if (file === undefined && !existsSync(resolve(cwd, usual))) return definitions
  const path = file ?? usual
  const content = await readFile(resolve(cwd, path), 'utf8').catch(() => {
    throw wrongUsage(`${path} can't be read`)
  })
  const conversions = conversionsIn(content, path)
  return definitions.map(one => {
    const conversion = conversions.get(one.metadata?.name ?? '')
    return conversion === undefined ? one : { ...one, spec: { ...one.spec, conversion } }
  })
}

/** The conversions in a kustomization, by the names of the definitions. */
function conversionsIn(content: string, path: string): ReadonlyMap<string, CustomResourceConversion> {
  try {
    const patches = readYaml(content).flatMap(one => (isRecord(one) && Array.isArray(one.patches) ? one.patches : []))
    return new Map(
      patches.filter(isRecord).flatMap(({ target, patch }) => {
        if (!isRecord(target) || target.kind !== 'CustomResourceDefinition' || typeof patch !== 'string') return []
        const operations = readYaml(patch).flat().filter(isRecord)
        const found = operations.find(one => one.path === '/spec/conversion' && one.op !== 'remove')
        return found === undefined ? [] : [[`${target.name}`, found.value as CustomResourceConversion] as const]
      }),
    )
  } catch (error) {
    if (error instanceof YamlError) throw refused(`${path}: ${error.message}`, error)
    throw error
  }
}
