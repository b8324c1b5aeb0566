/** Writes the manifest of the policy and of its binding. */
import { writeFileSync } from 'node:fs'
import { policyFile, policyText } from './policy-manifest.ts'

writeFileSync(policyFile, policyText)
