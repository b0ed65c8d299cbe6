import { createHook } from 'node:async_hooks';

/**
 * One of the objects that Node makes for every `process.nextTick`, of which a small call takes five
 * or more. Whoever keeps it keeps them fast: V8 forgets the shape of these objects when a garbage
 * collection of an idle server finds none of them alive, makes another shape then, and the code
 * that was compiled for the first one takes the slow way, six times as long, for the rest of the
 * process. Undefined should Node come to make none.
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
