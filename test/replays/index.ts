import type { MemoryReplay } from './replay.ts'

/** The cases of memory, each loaded by itself: a program holds no other's code. */
export const memoryReplays: Readonly<Record<string, () => Promise<MemoryReplay>>> = {
  K1: async () => (await import('./k1-keda.ts')).keda,
  K2: async () => (await import('./k2-kai.ts')).kai,
  K3: async () => (await import('./k3-prometheus-operator.ts')).prometheusOperator,
  K4: async () => (await import('./k4-bpfman.ts')).bpfman,
  K5: async () => (await import('./k5-cert-manager.ts')).certManager,
  K6: async () => (await import('./k6-external-secrets.ts')).externalSecrets,
  K7: async () => (await import('./k7-nvsentinel.ts')).nvsentinel,
  K8: async () => (await import('./k8-cass-operator.ts')).cassOperator,
}
