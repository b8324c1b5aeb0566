export type { DefinitionChange, Verdict } from './changes/change.ts'
export { definitionChanges } from './changes/definition-changes.ts'
export { assembleDefinition, type DefinitionNames, type VersionParts } from './definition/assemble.ts'
