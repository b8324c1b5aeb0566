import { type JsonObject, objectAt, objectsAt, stringAt } from '@wherry/cel/internal'
import { ageOf, nameOf, type Printer } from './printer.ts'

const unset = '<unset>'
const group = 'admissionregistration.k8s.io'

const webhooks: Printer = {
  cells: (object, now) => [nameOf(object), objectsAt(object, 'webhooks').length, ageOf(object, now)],
}

/** The printer of policies. It counts the entries of the field `what`. */
function policies(what: string): Printer {
  return {
    cells(object, now) {
      const spec = objectAt(object, 'spec')
      const kind = objectAt(spec, 'paramKind')
      const params =
        kind === undefined ? unset : `${stringAt(kind, 'apiVersion') ?? ''}/${stringAt(kind, 'kind') ?? ''}`
      return [nameOf(object), objectsAt(spec, what).length, params, ageOf(object, now)]
    },
  }
}

const bindings: Printer = {
  cells(object, now) {
    const spec = objectAt(object, 'spec')
    return [
      nameOf(object),
      stringAt(spec, 'policyName') ?? '',
      paramText(objectAt(spec, 'paramRef')),
      ageOf(object, now),
    ]
  },
}

function paramText(ref: JsonObject | undefined): string {
  const name = stringAt(ref, 'name') ?? ''
  return name === '' ? unset : `${stringAt(ref, 'namespace') || '*'}/${name}`
}

/** Webhook configurations, admission policies, and their bindings. */
export const admission: Readonly<Record<string, Printer>> = {
  [`mutatingwebhookconfigurations.${group}`]: webhooks,
  [`validatingwebhookconfigurations.${group}`]: webhooks,
  [`mutatingadmissionpolicies.${group}`]: policies('mutations'),
  [`validatingadmissionpolicies.${group}`]: policies('validations'),
  [`mutatingadmissionpolicybindings.${group}`]: bindings,
  [`validatingadmissionpolicybindings.${group}`]: bindings,
}
