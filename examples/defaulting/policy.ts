import { policy, type ValidatingPolicy } from '@wherry/crd'
import { notices } from './notice.ts'

/** The label of a namespace that allows urgent notices, if its value is `allowed`. */
export const urgentLabel = 'board.example.com/urgent'

/**
 * A rule that needs the namespace of the notice, which a rule in the definition does not see. The API server has it at hand, so no program has to be
 * asked. The program does not load this: `npm run policy` writes the manifest.
 */
export const urgentNotices: ValidatingPolicy = policy(notices, {
  name: 'urgent-notices',
  variables: { allowed: `namespaceObject.metadata.?labels[?"${urgentLabel}"].orValue("") == "allowed"` },
  validations: [
    {
      expression: '!object.spec.urgent || variables.allowed',
      message: `spec.urgent: the namespace has no label ${urgentLabel}=allowed`,
      reason: 'Forbidden',
    },
  ],
})
