import { levelConversion } from '../../packages/webhook/src/testkit/conversion/levels.ts'

export const levels: ReturnType<typeof levelConversion> = levelConversion()
