import type { ConstraintTemplate } from '../template.ts'

/** No two Ingresses with one host. */
export const uniqueHosts: ConstraintTemplate = {
  metadata: { name: 'uniquehosts' },
  spec: {
    kind: 'UniqueHosts',
    expression: `object.spec.rules.all(rule, !lookup("networking.k8s.io", "Ingress", "spec.rules.host", rule.host)
      .exists(other, other.metadata.uid != object.metadata.uid))`,
    message: 'another Ingress has the host',
  },
}

/** All objects have some labels. */
export const requiredLabels: ConstraintTemplate = {
  metadata: { name: 'requiredlabels' },
  spec: {
    kind: 'RequiredLabels',
    parameters: { type: 'object', properties: { labels: { type: 'array', items: { type: 'string' } } } },
    expression: 'has(object.metadata.labels) && params.labels.all(label, label in object.metadata.labels)',
    message: 'a label is missing',
  },
}

/** No two ConfigMaps with one name. */
export const uniqueNames: ConstraintTemplate = {
  metadata: { name: 'uniquenames' },
  spec: {
    kind: 'UniqueNames',
    expression: `!lookup("", "ConfigMap", "metadata.name", object.metadata.name)
      .exists(other, other.metadata.uid != object.metadata.uid)`,
    message: 'another object has the name',
  },
}
