import type { Verify } from './stage.ts'

export type ExampleName =
  | 'quickstart'
  | 'secret-reference'
  | 'custom-registrar'
  | 'crd-upgrade'
  | 'policy-sync'
  | 'copied-resources'
  | 'catalog'
  | 'bundles'

const verifications: Readonly<Record<ExampleName, () => Promise<{ readonly verify: Verify }>>> = {
  quickstart: () => import('../quickstart/verify.ts'),
  'secret-reference': () => import('../secret-reference/verify.ts'),
  'custom-registrar': () => import('../custom-registrar/verify.ts'),
  'crd-upgrade': () => import('../crd-upgrade/verify.ts'),
  'policy-sync': () => import('../policy-sync/verify.ts'),
  'copied-resources': () => import('../copied-resources/verify.ts'),
  catalog: () => import('../catalog/verify.ts'),
  bundles: () => import('../bundles/verify.ts'),
}

export const exampleNames: readonly ExampleName[] = Object.keys(verifications) as ExampleName[]

/** What plays the users of an example. */
export async function verificationOf(name: ExampleName): Promise<Verify> {
  return (await verifications[name]()).verify
}
