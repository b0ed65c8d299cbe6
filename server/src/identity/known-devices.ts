import { createHmac, hkdfSync, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Clock } from '#base/clock.ts';
import { DEVICE_LIFETIME_MS, DEVICE_MARKS_MAX } from '#base/sign-in-limits.ts';

/**
 * UID of a user, id of the device, and when it signed in (seconds, in base 36), and a MAC over
 * them.
 */
const MARK = /^([1-9A-HJ-NP-Za-km-z]{22})\.([\w-]{16})\.([0-9a-z]{1,9})\.([\w-]{22})$/;
const MARKS_SEPARATOR = '~';
const MAC_CHARACTERS = 22;

/**
 * Devices on which somebody has signed in. The browser keeps the marks itself, in a cookie; a mark
 * proves nothing but that: it opens no session, and spares its user the delays that others have
 * caused.
 */
export class KnownDevices {
  readonly #key: Uint8Array;
  readonly #clock: Clock;

  constructor(signingKey: string, clock: Clock) {
    this.#key = new Uint8Array(hkdfSync('sha256', signingKey, '', 'trellis known device', 32));
    this.#clock = clock;
  }

  /**
   * The marks that the browser keeps after this user has signed in: the user's mark first, then
   * those that it brought.
   */
  mark(userUid: string, brought: string | undefined): string {
    const marks = this.#marks(brought);
    const device = marks.find((one) => one.userUid === userUid)?.device ?? newDevice();
    const at = Math.floor(this.#clock.now() / 1_000).toString(36);
    const signed = `${userUid}.${device}.${at}`;
    const others = marks.filter((one) => one.userUid !== userUid).map(({ text }) => text);
    return [`${signed}.${this.#mac(signed)}`, ...others]
      .slice(0, DEVICE_MARKS_MAX)
      .join(MARKS_SEPARATOR);
  }

  /** The id of the device, when this user has signed in on it. */
  deviceOf(userUid: string, brought: string | undefined): string | undefined {
    return this.#marks(brought).find((one) => one.userUid === userUid)?.device;
  }

  /** The id of a device on which anybody has signed in. */
  anyDevice(brought: string | undefined): string | undefined {
    return this.#marks(brought)[0]?.device;
  }

  #marks(brought: string | undefined): Mark[] {
    return (brought ?? '')
      .split(MARKS_SEPARATOR, DEVICE_MARKS_MAX)
      .map((text) => this.#open(text))
      .filter((mark) => mark !== undefined);
  }

  #open(text: string): Mark | undefined {
    const [, userUid = '', device = '', at = '', mac = ''] = MARK.exec(text) ?? [];
    if (mac === '') return undefined;
    const expected = this.#mac(`${userUid}.${device}.${at}`);
    if (!timingSafeEqual(Buffer.from(mac), Buffer.from(expected))) return undefined;
    const ageMs = this.#clock.now() - Number.parseInt(at, 36) * 1_000;
    return ageMs < DEVICE_LIFETIME_MS ? { userUid, device, text } : undefined;
  }

  #mac(signed: string): string {
    return createHmac('sha256', this.#key)
      .update(signed)
      .digest('base64url')
      .slice(0, MAC_CHARACTERS);
  }
}

interface Mark {
  readonly userUid: string;
  readonly device: string;
  readonly text: string;
}

function newDevice(): string {
  return randomBytes(12).toString('base64url');
}
