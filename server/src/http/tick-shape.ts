import { createHook } from 'node:async_hooks';

/**
 * One of the objects that Node makes for every `process.nextTick`; a small call makes five or more.
 * Keep it for as long as the server lives: when a garbage collection finds no such object alive, V8
 * forgets their shape and makes another. Code compiled for the first shape is then six times slower
 * for the rest of the process. Undefined if Node makes no such object.
 */
export function tickObject(): object | undefined {
  let made: object | undefined;
  const hook = createHook({
    // A hook that saw promises would slow them down for good.
    trackPromises: false,
    init: (_id, type, _trigger, resource) => {
      if (type === 'TickObject') made ??= resource;
    },
  });
  hook.enable();
  process.nextTick(() => {});
  hook.disable();
  return made;
}
