import { z } from 'zod';

/** What the code of an endpoint finds as a global: see `sandbox/guest.ts`. */
export function provideGlobals(): void {
  Reflect.defineProperty(globalThis, 'z', { value: z, writable: true, configurable: true });
}
