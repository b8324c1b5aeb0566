/**
 * The flags of Node for a process that runs files of this package. In this repository the package runs from its sources: the packages that it needs are read
 * from their sources too, built or not.
 */
export function childFlags(): string[] {
  const here = import.meta.url
  const flags = ['--disable-warning=ExperimentalWarning']
  if (!here.endsWith('.ts')) return flags
  return [...flags, '--import', new URL('../../../../test/examples/from-source.ts', here).href]
}
