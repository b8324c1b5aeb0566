import { bundleOf } from './bundles.ts'

/** Bundles as a published audit of 69 operators found them, by what becomes of them. */
export async function auditedBundles(): Promise<{ readonly name: string; readonly archive: Buffer }[]> {
  const names = (what: string, count: number): string[] => Array.from({ length: count }, (_, i) => `${what}-${i}`)
  const notValid = (name: string): object => ({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name, labels: { tier: 'not valid' } },
  })
  const wanted = [
    ...names('fine', 25).map((name, i) => ({ name, defines: `Kind${i}` })),
    ...names('own-namespace', 26).map(name => ({ name, modes: ['OwnNamespace', 'SingleNamespace'] })),
    ...names('webhooks', 14).map(name => ({ name, webhooks: 1 })),
    ...names('fails', 4).map((name, i) => ({ name, others: [notValid(`hours-${i}`)] })),
  ]
  return Promise.all(wanted.map(async one => ({ name: one.name, archive: await bundleOf(one) })))
}
