import type { Scope } from '@wherry/client'
import type { ControllerDefinition, ControllerOptions } from '../controller/definition.ts'
import type { NamedController } from '../operator/builder.ts'
import { Operator } from '../operator/operator.ts'

type Definition = ControllerDefinition<unknown>

/** An operator that is not run. It provides the definitions of its controllers, and its client and caches for the controller that runs. */
export class DeclaringOperator extends Operator {
  readonly #declared: (() => Definition)[] = []

  /** @throws UsageError for a controller that is incomplete */
  get definitions(): readonly Definition[] {
    return this.#declared.map(definition => definition())
  }

  override controller(name: string, options?: ControllerOptions): NamedController {
    const named = super.controller(name, options)
    this.#declared.push(() => named.definition())
    return named
  }

  override add<C, S extends Scope>(definition: ControllerDefinition<C, S>): this {
    super.add(definition)
    this.#declared.push(() => definition as unknown as Definition)
    return this
  }
}
