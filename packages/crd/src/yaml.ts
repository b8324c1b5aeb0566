export { plainValue } from './yaml/plain.ts'
export { readYaml } from './yaml/read.ts'
export { yamlText } from './yaml/write.ts'
export { YamlError } from './yaml/yaml-error.ts'
