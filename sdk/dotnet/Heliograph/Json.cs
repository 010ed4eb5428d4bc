using System;
using System.Collections;
using System.Collections.Generic;
using System.IO;
using System.Text.Encodings.Web;
using System.Text.Json;

namespace Heliograph
{
    /// <summary>JSON as dictionaries, lists, strings, long where whole, else double, bool and null.</summary>
    internal static class Json
    {
        private static readonly JsonWriterOptions Options = new JsonWriterOptions { Encoder = JavaScriptEncoder.UnsafeRelaxedJsonEscaping };

        /// <summary>Fails with a JsonException.</summary>
        internal static IDictionary<string, object?> ReadObject(ReadOnlyMemory<byte> text)
        {
            using JsonDocument document = JsonDocument.Parse(text);
            return Read(document.RootElement) as IDictionary<string, object?> ?? throw new JsonException("It is not an object");
        }

        private static object? Read(JsonElement element)
        {
            switch (element.ValueKind)
            {
                case JsonValueKind.Object:
                    var fields = new Dictionary<string, object?>();
                    foreach (JsonProperty property in element.EnumerateObject())
                    {
                        fields[property.Name] = Read(property.Value);
                    }
                    return fields;
                case JsonValueKind.Array:
                    var items = new List<object?>();
                    foreach (JsonElement item in element.EnumerateArray())
                    {
                        items.Add(Read(item));
                    }
                    return items;
                case JsonValueKind.String:
                    return element.GetString();
                case JsonValueKind.Number:
                    return element.TryGetInt64(out long whole) ? (object)whole : element.GetDouble();
                case JsonValueKind.True:
                    return true;
                case JsonValueKind.False:
                    return false;
                default:
                    return null;
            }
        }

        internal static byte[] Write(object? value)
        {
            using var stream = new MemoryStream();
            using (var writer = new Utf8JsonWriter(stream, Options))
            {
                Write(value, writer);
            }
            return stream.ToArray();
        }

        private static void Write(object? value, Utf8JsonWriter writer)
        {
            switch (value)
            {
                case null:
                    writer.WriteNullValue();
                    break;
                case Shape shape:
                    Write(shape.Fields, writer);
                    break;
                case string text:
                    writer.WriteStringValue(text);
                    break;
                case bool flag:
                    writer.WriteBooleanValue(flag);
                    break;
                case int or long:
                    writer.WriteNumberValue(Convert.ToInt64(value));
                    break;
                case float or double or decimal:
                    writer.WriteNumberValue(Convert.ToDouble(value));
                    break;
                case DateTimeOffset moment:
                    writer.WriteStringValue(moment);
                    break;
                case DateTime moment:
                    writer.WriteStringValue(moment);
                    break;
                case IEnumerable<KeyValuePair<string, object?>> fields:
                    writer.WriteStartObject();
                    foreach (KeyValuePair<string, object?> field in fields)
                    {
                        writer.WritePropertyName(field.Key);
                        Write(field.Value, writer);
                    }
                    writer.WriteEndObject();
                    break;
                case IEnumerable items:
                    writer.WriteStartArray();
                    foreach (object? item in items)
                    {
                        Write(item, writer);
                    }
                    writer.WriteEndArray();
                    break;
                default:
                    throw new ArgumentException($"JSON has no {value.GetType()}");
            }
        }
    }
}
