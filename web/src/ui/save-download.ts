import type { Download } from '@trellis/client/operation-methods.ts';

/** Gives what was downloaded to the browser as a file. `onPart` sees each part as it arrives. */
export async function saveDownload(
  download: Download,
  name: string,
  onPart?: (part: Uint8Array) => void,
): Promise<void> {
  const seen = onPart === undefined ? download : download.pipeThrough(looking(onPart));
  const url = URL.createObjectURL(await new Response(seen).blob());
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  URL.revokeObjectURL(url);
}

function looking(onPart: (part: Uint8Array) => void): TransformStream<Uint8Array, Uint8Array> {
  return new TransformStream({
    transform(part, controller) {
      onPart(part);
      controller.enqueue(part);
    },
  });
}
