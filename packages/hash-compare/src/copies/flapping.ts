import type { KubernetesObject, ObjectKey } from '@wherry/client'
import { compareParts, type PartDifference } from '../parts/compare-parts.ts'
import { hashParts } from '../parts/parts.ts'
import { applying, type CopyContext, keyOf } from './context.ts'
import { rivals } from './rivals.ts'
import type { Source, WantedCopy } from './source.ts'

/** Reads a copy that somebody else keeps changing, for what differs at present, and who else writes that. */
export async function flappingOf<P, T extends KubernetesObject>(
  context: CopyContext<P, T>,
  { fixpoints }: Source<P, T>,
  copy: WantedCopy<T>,
): Promise<{ readonly differences: readonly PartDifference[]; readonly managers: readonly string[] }> {
  const { client, copies, parts } = context.options
  const { signal, timeoutMs, fieldManager } = applying(context)
  const whole = await client.get(copies.full(), copy.at as ObjectKey<'namespaced'>, { signal, timeoutMs })
  if (whole === undefined) return { differences: [], managers: [] }
  const objects = [copy.object() as T, whole] as const
  const held = hashParts(whole, parts)
  const differences = compareParts(copy.wanted, held, { parts, objects }).filter(({ part }) => {
    const wanted = copy.wanted[part]
    return wanted !== undefined && !fixpoints.accepts(part, wanted, held[part], keyOf(copy))
  })
  const paths = differences.flatMap(({ paths: found }) => found ?? [])
  return { differences, managers: rivals(whole, fieldManager, paths) }
}
