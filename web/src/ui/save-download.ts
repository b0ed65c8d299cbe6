import type { Download } from '@trellis/client/operation-methods.ts';

/** Gives what was downloaded to the browser as a file. */
export async function saveDownload(download: Download, name: string): Promise<void> {
  const url = URL.createObjectURL(await new Response(download).blob());
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  URL.revokeObjectURL(url);
}
