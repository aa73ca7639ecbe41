/** The status of a stream and the text of its first messages. */
export async function firstMessages(url: string, count: number): Promise<{ status: number; text: string }> {
  const { status, body } = await fetch(url);
  let text = '';
  for await (const part of body!.pipeThrough(new TextDecoderStream())) {
    text += part;
    if (text.split('\n\n').length > count) break;
  }
  return { status, text: `${text.split('\n\n', count).join('\n\n')}\n\n` };
}
