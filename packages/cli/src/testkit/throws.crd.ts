/** A module that can't be loaded. */
throw new Error('no schema today')
