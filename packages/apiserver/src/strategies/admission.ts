import { completePolicy } from '../admission/complete-policy.ts'
import { completeConfiguration } from '../admission/configuration.ts'
import { configurationProblems } from '../admission/configuration-problems.ts'
import { mutatingBindingProblems, mutatingProblems } from '../admission/mutation-problems.ts'
import { bindingProblems, policyProblems } from '../admission/policy-problems.ts'
import type { Strategies, Strategy } from '../write/strategy.ts'

const webhookConfiguration: Strategy = { decode: completeConfiguration, problems: configurationProblems }

/** The strategies of webhook configurations and admission policies. */
export const admissionStrategies: Strategies = {
  'mutatingwebhookconfigurations.admissionregistration.k8s.io': webhookConfiguration,
  'validatingwebhookconfigurations.admissionregistration.k8s.io': webhookConfiguration,
  'validatingadmissionpolicies.admissionregistration.k8s.io': {
    decode: completePolicy,
    create(object) {
      object.status = {}
    },
    problems: policyProblems,
  },
  'validatingadmissionpolicybindings.admissionregistration.k8s.io': {
    decode: completePolicy,
    problems: bindingProblems,
  },
  'mutatingadmissionpolicies.admissionregistration.k8s.io': { decode: completePolicy, problems: mutatingProblems },
  'mutatingadmissionpolicybindings.admissionregistration.k8s.io': {
    decode: completePolicy,
    problems: mutatingBindingProblems,
  },
}
