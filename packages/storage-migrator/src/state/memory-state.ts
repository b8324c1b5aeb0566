import type { MigrationState, StateStore } from './migration-state.ts'

/** State that ends with the process. It is used by a migration that begins again because its definition changed. */
export function memoryState(): StateStore {
  const states = new Map<string, MigrationState>()
  return {
    load: async definition => states.get(definition),
    save: async (definition, state) => void states.set(definition, state),
    clear: async definition => void states.delete(definition),
  }
}
