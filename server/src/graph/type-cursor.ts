import { TYPE_KEY_BYTES } from './keys.ts';

/** What no type has for a number. */
export const NO_TYPE = 0;

/** Where a walk through the nodes of one type is. */
export class TypeCursor {
  readonly typeId: number;
  isStarted = false;
  readonly lastKey = new Uint8Array(TYPE_KEY_BYTES);

  constructor(typeId: number) {
    this.typeId = typeId;
  }
}
