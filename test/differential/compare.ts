/** Where two answers differ, one line each. Paths that match one of `except` do not count. */
export function differences(
  real: readonly unknown[],
  embedded: readonly unknown[],
  except: readonly string[] = [],
): string[] {
  const excused = except.map(pattern => new RegExp(`^${pattern.split('.').map(asPart).join('\\.')}(\\.|$)`))
  const found: string[] = []
  const compare = (left: unknown, right: unknown, path: readonly string[]): void => {
    if (Object.is(left, right) || excused.some(one => one.test(path.join('.')))) return
    if (typeof left === 'object' && typeof right === 'object' && left !== null && right !== null) {
      if (Array.isArray(left) === Array.isArray(right)) {
        for (const key of new Set([...Object.keys(left), ...Object.keys(right)])) {
          compare((left as Record<string, unknown>)[key], (right as Record<string, unknown>)[key], [...path, key])
        }
        return
      }
    }
    const step = (real[Number(path[0])] as { step?: string } | undefined)?.step ?? ''
    found.push(`${path.join('.')} (${step})\n      real     ${shown(left)}\n      embedded ${shown(right)}`)
  }
  compare(real, embedded, [])
  return found
}

function asPart(part: string): string {
  return part === '*' ? '[^.]+' : part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
}

function shown(value: unknown): string {
  return value === undefined ? '(nothing)' : JSON.stringify(value)
}
