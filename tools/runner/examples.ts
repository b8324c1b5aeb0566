import type { Verify } from './stage.ts'

/** The folder of an example, from `examples`. */
export type ExampleName =
  | 'quickstart'
  | 'secret-reference'
  | 'custom-registrar'
  | 'crd-upgrade'
  | 'defaulting'
  | 'policy-sync'
  | 'copied-resources'
  | 'catalog'
  | 'bundles'
  | 'ported/supervisor'
  | 'ported/tenants'

const verifications: Readonly<Record<ExampleName, () => Promise<{ readonly verify: Verify }>>> = {
  quickstart: () => import('../../examples/quickstart/verify.ts'),
  'secret-reference': () => import('../../examples/secret-reference/verify.ts'),
  'custom-registrar': () => import('../../examples/custom-registrar/verify.ts'),
  'crd-upgrade': () => import('../../examples/crd-upgrade/verify.ts'),
  defaulting: () => import('../../examples/defaulting/verify.ts'),
  'policy-sync': () => import('../../examples/policy-sync/verify.ts'),
  'copied-resources': () => import('../../examples/copied-resources/verify.ts'),
  catalog: () => import('../../examples/catalog/verify.ts'),
  bundles: () => import('../../examples/bundles/verify.ts'),
  'ported/supervisor': () => import('../../examples/ported/supervisor/verify.ts'),
  'ported/tenants': () => import('../../examples/ported/tenants/verify.ts'),
}

export const exampleNames: readonly ExampleName[] = Object.keys(verifications) as ExampleName[]

/** What plays the users of an example. */
export async function verificationOf(name: ExampleName): Promise<Verify> {
  return (await verifications[name]()).verify
}
