export { assembleDefinition, type DefinitionNames, type VersionParts } from './definition/assemble.ts'
