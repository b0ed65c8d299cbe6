import { TYPE_KEY_BYTES } from './keys.ts';

/** A number that no type has. */
export const NO_TYPE = 0;

/** The position of a walk through the nodes of one type. */
export class TypeCursor {
  readonly typeId: number;
  isStarted = false;
  readonly lastKey = new Uint8Array(TYPE_KEY_BYTES);

  constructor(typeId: number) {
    this.typeId = typeId;
  }
}
