/** Changes of one delivery, and the characters of its body: a larger commit comes in parts. */
export const WEBHOOK_CHANGES_MAX = 500;
export const WEBHOOK_BODY_CHARACTERS_MAX = 512 * 1024;
/** A change that would be longer comes without the node. */
export const WEBHOOK_CHANGE_CHARACTERS_MAX = 256 * 1024;
/** One step of reading: deliveries, their characters, and sequences without one. */
export const WEBHOOK_STEP_DELIVERIES_MAX = 100;
export const WEBHOOK_STEP_CHARACTERS_MAX = 4 * 1024 * 1024;
export const WEBHOOK_STEP_SEQUENCES_MAX = 50_000;
/** How long a receiver may take for its whole answer. */
export const WEBHOOK_TIMEOUT_MS = 15_000;
/** Bytes of an answer that are read, and characters of it that are kept. */
export const WEBHOOK_ANSWER_BYTES_MAX = 64 * 1024;
export const WEBHOOK_ANSWER_CHARACTERS_MAX = 1_000;
/** How long a delivery waits after each try; after the last of these always as long as that. */
export const WEBHOOK_RETRY_DELAYS_MS: readonly number[] = [
  5_000, 30_000, 120_000, 600_000, 1_800_000, 3_600_000, 7_200_000, 14_400_000,
];
/** How long a delivery is tried before the webhook is paused. */
export const WEBHOOK_RETRY_MS = 24 * 3_600_000;
/** `Retry-After` of a receiver counts up to this. */
export const WEBHOOK_RETRY_AFTER_MS_MAX = 3_600_000;
/** How often the position is written at most, and how much of the log it may lag behind. */
export const WEBHOOK_SAVE_INTERVAL_MS = 1_000;
export const WEBHOOK_SAVE_SEQUENCES = 10_000;
/** How often the list of deliveries is written at most; a crash loses what came since. */
export const WEBHOOK_LIST_INTERVAL_MS = 10_000;
/** Deliveries of one webhook that are listed, and for how long. */
export const WEBHOOK_DELIVERIES_MAX = 100;
export const WEBHOOK_DELIVERY_AGE_MS_MAX = 30 * 24 * 3_600_000;
/** How long a webhook waits when the log could not be read. */
export const WEBHOOK_READ_AGAIN_MS = 5_000;
/** How long the secret of before signs, too, after there is a new one. */
export const WEBHOOK_SECRET_OVERLAP_MS = 24 * 3_600_000;
