import type { CustomResourceOptions } from '../../definition/options.ts'

/** The names of a library's resource. */
export function names(
  kind: string,
): Pick<CustomResourceOptions, 'group' | 'version' | 'kind' | 'plural' | 'namespaced'> {
  const plural = `${kind.toLowerCase()}s`
  return { group: 'libraries.example.com', version: 'v1', kind, plural, namespaced: true }
}

/** A CEL rule. */
export function rule(text: string, message: string): { readonly rule: string; readonly message: string } {
  return { rule: text, message }
}

type Common = Pick<
  CustomResourceOptions,
  'shortNames' | 'categories' | 'scale' | 'printColumns' | 'selectableFields' | 'validations'
>

/** What stands next to the schemas, the same for each library. */
export const ofObject: Common = {
  shortNames: ['lib'],
  categories: ['libraries'],
  scale: {
    specReplicasPath: '.spec.replicas',
    statusReplicasPath: '.status.ready',
    labelSelectorPath: '.status.selector',
  },
  printColumns: [
    { name: 'Replicas', jsonPath: '.spec.replicas' },
    { name: 'Mode', jsonPath: '.spec.mode', priority: 1 },
  ],
  selectableFields: ['.spec.mode'],
  validations: [rule('size(self.metadata.name) <= 20', 'the name is too long')],
}
