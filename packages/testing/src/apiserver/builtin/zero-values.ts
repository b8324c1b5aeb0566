/** Texts that are there when they are empty. All others are left out then. */
export const keptTexts: ReadonlySet<string> = new Set([
  ...['reason', 'message'].map(field => `meta.v1.Condition.${field}`),
  ...['storageClassName', 'volumeAttributesClassName'].flatMap(field =>
    ['PersistentVolumeClaimSpec', 'PersistentVolumeSpec'].map(type => `core.v1.${type}.${field}`),
  ),
  'apps.v1.StatefulSetSpec.serviceName',
  'core.v1.GRPCAction.service',
  'core.v1.HTTPHeader.value',
  'core.v1.HostPathVolumeSource.type',
  'networking.v1.HTTPIngressPath.pathType',
  'core.v1.PodDNSConfigOption.value',
  'core.v1.TypedLocalObjectReference.apiGroup',
  'core.v1.TypedObjectReference.apiGroup',
  'networking.v1.IngressSpec.ingressClassName',
])

const containers = ['stdin', 'stdinOnce', 'tty']
const replicas = ['observedGeneration', 'readyReplicas', 'availableReplicas']

/** Numbers and booleans that are left out when they are 0 or false. All others are there then. */
export const leftOutZeros: Readonly<Record<string, readonly string[]>> = {
  'apps.v1.DaemonSetSpec': ['minReadySeconds'],
  'apps.v1.DaemonSetStatus': ['observedGeneration', 'updatedNumberScheduled', 'numberAvailable', 'numberUnavailable'],
  'apps.v1.DeploymentSpec': ['minReadySeconds', 'paused'],
  'apps.v1.DeploymentStatus': [...replicas, 'replicas', 'updatedReplicas', 'unavailableReplicas'],
  'apps.v1.ReplicaSetSpec': ['minReadySeconds'],
  'apps.v1.ReplicaSetStatus': [...replicas, 'fullyLabeledReplicas'],
  'apps.v1.StatefulSetSpec': ['minReadySeconds'],
  'apps.v1.StatefulSetStatus': ['observedGeneration', 'readyReplicas', 'currentReplicas', 'updatedReplicas'],
  'batch.v1.JobStatus': ['active', 'succeeded', 'failed'],
  'core.v1.Container': containers,
  'core.v1.ContainerPort': ['hostPort'],
  'core.v1.EphemeralContainer': containers,
  'core.v1.NFSVolumeSource': ['readOnly'],
  'core.v1.PersistentVolumeClaimVolumeSource': ['readOnly'],
  'core.v1.PodSpec': ['hostNetwork', 'hostPID', 'hostIPC'],
  'core.v1.Probe': ['initialDelaySeconds', 'timeoutSeconds', 'periodSeconds', 'successThreshold', 'failureThreshold'],
  'core.v1.ReplicationControllerSpec': ['minReadySeconds'],
  'core.v1.ReplicationControllerStatus': [...replicas, 'fullyLabeledReplicas'],
  'core.v1.ServicePort': ['nodePort', 'targetPort'],
  'core.v1.ServiceSpec': ['healthCheckNodePort', 'publishNotReadyAddresses'],
  'core.v1.VolumeMount': ['readOnly'],
  'networking.v1.ServiceBackendPort': ['number'],
}
