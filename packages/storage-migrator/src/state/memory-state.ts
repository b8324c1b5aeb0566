import type { MigrationState, StateStore } from './migration-state.ts'

/** Keeps the state in memory. A migration uses it when it begins again because its definition has changed. */
export function memoryState(): StateStore {
  const states = new Map<string, MigrationState>()
  return {
    load: async definition => states.get(definition),
    save: async (definition, state) => void states.set(definition, state),
    clear: async definition => void states.delete(definition),
  }
}
