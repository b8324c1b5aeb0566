/** The field that marks a type which JSON does not have; its value is the type's name. */
export const unrepresentable = 'x-wherry-unrepresentable'

/** The field that marks a check which is a function, and would vanish. */
export const refined = 'x-wherry-refined'
